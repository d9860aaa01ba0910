"""headrace: runs LLM model servers at their service level for the fewest accelerator hours."""
