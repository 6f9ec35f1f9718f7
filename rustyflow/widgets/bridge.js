// What a widget sends to the page: it brings its model to the figures that ask for it, in whatever output they are.
"@HUB@";
// A shape may stand for a range: it is dragged, or moved by the arrows while it is pinned. The input itself keeps to its ends and steps.
const ranged = (host, id) => id && [...host.steered.values()].find(({told}) => told.ends[0] && told.spot === id);
const slide = ({fields: [field]}, go) => { go(field); field.dispatchEvent(new Event("input")); };
Object.assign(HUB, {
  shift(host, by) {
    const one = ranged(host, host.pinned);
    if (one) slide(one, field => field.stepUp(by));
    return one;
  },
  grab(host, press, id) {
    const one = ranged(host, id), {stage} = host;
    if (!one) return;
    press.preventDefault();  // no text is marked
    stage.onpointermove = ({buttons, clientX}) => {
      if (!buttons) return stage.onpointermove = null;
      stage.setPointerCapture(press.pointerId);
      const {min, max, ends: [left, right]} = one.told, {a, e} = host.svg.getScreenCTM();
      slide(one, field => { field.value = min + ((clientX - e) / a - left) / (right - left) * (max - min); });
    };
  },
});
export default {
  initialize({model}) {  // runs when the comm opens; no view is needed
    const key = model.get("_key"), kernel = model.widget_manager?.kernel;
    const over = () => HUB.leave(key, "Python has stopped: the figure goes on without it. Run the cell to bring it back.");
    const heed = (_, status) => /restarting|dead|terminating/.test(status) && over();  // a killed kernel closes no comm
    kernel?.statusChanged?.connect(heed);
    kernel?.disposed?.connect(over);
    model.on("comm:close", over);
    model.on("msg:custom", said => {
      if ("pong" in said) HUB.heard(key, said.pong);
      if (said.opened) HUB.each(key, host => host.opened(said.opened));
      if (said.entered) HUB.each(key, host => host.entered(said.entered));
    });
    HUB.join(key, model);
    model.send({here: 1});
    return () => {
      kernel?.statusChanged?.disconnect(heed);
      kernel?.disposed?.disconnect(over);
      over();
    };
  },

  async render({model, el}) {  // in a box, beside other widgets
    if (!customElements.get("@NAME@")) {
      model.on("msg:custom", said => said.player && import(URL.createObjectURL(new Blob([said.player], {type: "text/javascript"}))));
      model.send({need: "player"});
      await customElements.whenDefined("@NAME@");
    }
    const host = document.createElement("@NAME@");
    Object.assign(host.dataset, {model: model.get("_key"), view: "", lmSuppressShortcuts: "true"});
    el.append(host);
    return () => host.remove();
  },
};
