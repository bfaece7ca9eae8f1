const graph = JSON.parse(document.getElementById("data").textContent);
const drawn = new vis.Network(
  document.getElementById("drawing"),
  { nodes: new vis.DataSet(graph.nodes), edges: new vis.DataSet(graph.edges) },
  graph.options,
);
drawn.once("stabilized", () => drawn.fit());
