// Where in a page figures and widgets' models find each other, by a key, whichever comes first.
const HUB = globalThis[Symbol.for("rustyflow")] ??= {models: new Map(), hosts: new Map(),
  join(key, model) { this.models.set(key, model); for (const host of this.hosts.get(key) ?? []) host.bind(model); },
  leave(key, why) { this.models.delete(key); for (const host of this.hosts.get(key) ?? []) host.part(why); }};
