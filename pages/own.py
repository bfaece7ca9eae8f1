"""Own data: bring a graph, see what was understood of it, give it a GNN, and have its predictions explained."""

from pages.ui.router import through_app

through_app()

from pages.ui.own.page import show

show()
