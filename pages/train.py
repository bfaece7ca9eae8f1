"""Train: watch a policy learn one prediction, alone or two ideas side by side, or a whole data set."""

from pages.ui import jobs
from pages.ui.chrome import say_storage
from pages.ui.router import through_app
from pages.ui.train.page import show

through_app()
show()
say_storage()
jobs.warm_up_soon()  # PyTorch is loaded in the background while the visitor watches what is shipped
