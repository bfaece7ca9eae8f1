"""Where things are drawn: fixed layouts, the roles' colours, SVG pictures and plotly figures."""
