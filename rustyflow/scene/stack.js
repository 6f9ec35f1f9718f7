// On a page too narrow for a line of pieces these stand under each other, in their own size, as many in a line as fit. A grid that is
// wider than the page has narrower cells, with smaller numbers; where these do not fit, its cells are shades as cells.py makes them,
// and the number of the one that is pointed at is said.
const Stacked = Base => class extends Base {
  stack() {  // how wide the drawing is then; 0 where it stays as it was drawn
    const {svg, body, dialog} = this, pieces = [...svg.querySelectorAll(".piece")], page = body.clientWidth;
    const narrow = page > 0 && page < 620 && pieces.length > 0 && !dialog.open && !this.whole;
    svg.classList.toggle("stacked", narrow);
    for (const piece of pieces) this.loosen(piece);
    this.squeezed = false;
    if (!narrow) return 0;
    const moving = svg.getAnimations({subtree: true}).map(it => [it, it.currentTime]);
    for (const [it] of moving) it.currentTime = 1e6;  // measured is where all comes to rest
    const seen = pieces.filter(piece => piece.getClientRects().length), boxes = seen.map(piece => this.squeeze(piece, page - 18));
    const room = Math.max(page, 18 + Math.max(0, ...boxes.map(({width}) => width)));
    let x = 10, y = 8, low = y;
    boxes.forEach(({left, top, width, height, k}, n) => {
      if (x > 10 && x + width > room - 8) [x, y] = [10, low + 24];
      seen[n].setAttribute("transform", `translate(${x - left},${y - top}) scale(${k} 1)`);
      x += width + 24; low = Math.max(low, y + height);
    });
    svg.setAttribute("viewBox", `0 0 ${room} ${low + 12}`);
    for (const [it, time] of moving) it.currentTime = time;
    return room;
  }

  loosen(piece) {
    for (const name of ["transform", "style", "data-small"]) piece.removeAttribute(name);
    for (const box of piece.querySelectorAll(".cell>[class^=shade]")) box.removeAttribute("class");
  }

  squeeze(piece, room) {  // what stands beside the cells keeps its width, and letters keep theirs
    const {x, y: top, width, height} = piece.getBBox(), cells = [...piece.querySelectorAll(".cell,.dot")];
    const at = e => e.transform.baseVal[0]?.matrix.e ?? +e.getAttribute("x");
    const start = Math.min(...cells.map(at)), end = Math.max(...cells.map(cell => +(cell.firstChild ?? cell).getAttribute("width") + at(cell)));
    const k = Math.max(.1, (room - width + end - start) / (end - start));
    if (!cells.length || k >= 1) return {left: x, top, width, height, k: 1};
    this.squeezed = true;
    piece.style.setProperty("--k", 1 / k + " 1");
    let origin = start, last = -Infinity;
    for (const label of piece.querySelectorAll(".badge,text:not(.cell *,.badge *)")) {
      const here = at(label);
      if (here < last || here > last + 24) origin = Math.max(start, Math.min(here, end));  // else it stands right beside the one before it
      label.style.transformOrigin = origin + "px 0";
      last = here + label.getBBox().width;
    }
    const boxes = cells.filter(cell => cell.localName === "g"), words = boxes.map(cell => cell.querySelector("text:not(.address)")?.textContent ?? "");
    const fits = boxes.every((cell, n) => 8.43 * words[n].length + 4 <= k * cell.firstChild.getAttribute("width"));
    if (fits) piece.dataset.small = "";
    else {
      const values = words.map(said => parseFloat(said.replace("T", 1).replace("F", 0))), finite = values.filter(Number.isFinite);
      const low = Math.min(...finite), high = Math.max(...finite), shade = v => Number.isFinite(v) ? "shade" + Math.trunc(7 * (v - low) / (high - low || 1)) : "shade odd";
      boxes.forEach((cell, n) => words[n] && cell.firstChild.setAttribute("class", shade(values[n])));
    }
    return {left: x + (k - 1) * start, top, width: room, height, k};
  }
};
