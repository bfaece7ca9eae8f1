"""Requests answered in processes of their own, for pages and benchmarks: progress, a queue, a cancel that ends them."""
