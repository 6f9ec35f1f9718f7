// What a widget sends to the page: it brings its model to the figures that ask for it, in whatever output they are.
"@HUB@";
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
