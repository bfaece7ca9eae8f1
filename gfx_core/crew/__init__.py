"""The crew: requests answered in processes of their own, with progress, a queue and a cancel that stops at once.

It serves pages and benchmarks alike and knows nothing of what they ask.
"""
