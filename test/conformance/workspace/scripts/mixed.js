const RED_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

function main() {
  return g.result.content([
    { type: "text", text: "Multiple content types test:" },
    g.result.image(RED_PIXEL, "image/png"),
    g.result.resource("test://mixed-content-resource", JSON.stringify({ test: "data", value: 123 }), "application/json"),
  ]);
}
