// Where in a page figures and widgets' models find each other, by a key, whichever comes first; and whether Python answers:
// with a gesture it is asked, one question at a time, and what has no answer after a while is said. What is pressed is counted
// until Python has carried it out.
const HUB = globalThis[Symbol.for("@NAME@")] ??= {models: new Map(), hosts: new Map(), asked: new Map(), due: new Map(), busy: new Set(), met: false,
  join(key, model) { this.met = true; this.models.set(key, model); this.each(key, host => host.bind(model)); },
  leave(key, why) { this.heard(key); this.due.delete(key); this.models.delete(key); this.each(key, host => host.part(why)); },
  each(key, act) { for (const host of this.hosts.get(key) ?? []) act(host); },
  ask(key) {
    if (!this.models.has(key) || this.asked.has(key)) return;
    this.wait(key);
    this.models.get(key).send({ping: 1});
  },
  press(key, press) {
    if (!this.models.has(key)) return;
    this.due.set(key, (this.due.get(key) ?? 0) + 1);
    this.wait(key);
    this.models.get(key).send({press});
  },
  wait(key) {
    if (!this.asked.has(key)) this.asked.set(key, setTimeout(() => { this.busy.add(key); this.each(key, host => host.say()); }, 1500));
  },
  heard(key, presses = 0) {
    clearTimeout(this.asked.get(key));
    this.asked.delete(key);
    if (this.busy.delete(key)) this.each(key, host => host.say());
    if (!presses) return;
    this.due.set(key, this.due.get(key) - presses || 0);
    if (!this.due.get(key)) this.each(key, host => host.answered());
  }};
