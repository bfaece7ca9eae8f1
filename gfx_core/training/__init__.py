"""Watching a policy learn: what is trained on one prediction, what is recorded of it, and how it is steered meanwhile.

`training`, `recording`, `frames`, `log`, `lesson_graphs` and `user_gnn_setting` need no torch: pages
import them. What trains is imported in workers.
"""
