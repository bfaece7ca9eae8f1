"""The tests mirror the code; what several of them share can be imported from here."""
