// Links told all at once, as in maps.py: for each cell of a family what it lights, and the words for its templates.
const index = (n, sizes) => sizes.reduceRight(([n, at], size) => [Math.floor(n / size), [n % size, ...at]], [n, []])[1];
const bracketed = word => word[0] === "-" ? `(${word})` : word;
const mapped = ({maps, words}, family) => {
  const cells = ({d, at, by, o, l}, n) => l ? l[n] : o.reduce((all, [size, step]) =>
    all.flatMap(m => Array.from({length: size}, (_, k) => m + k * step)), [index(n, d).reduce((m, k, axis) => m + k * by[axis], at)]);
  const readers = map => {
    if (map.met) return map.met;
    const met = map.met = [], many = map.d.reduce((all, size) => all * size, 1);
    for (let n = 0; n < many; n++) cells(map, n).forEach(m => (met[m] ??= []).push(n));
    return met;
  };
  const reached = ([map, back], n) => map === undefined ? [n] : back ? readers(maps[map])[n] ?? [] : cells(maps[map], n);
  const word = (list, n) => {
    if (list.at) return list;
    const told = words[list];
    if (told.d) return String(cells(told, n)[0]);
    if (told.map) return told[n];
    words[list] = told.split ? told.split(" ") : rows(told);
    return word(list, n);
  };
  const rows = ({t, k}) => {  // sentences of a few templates
    const met = t.map(() => 0), part = (piece, n) => piece.map ? bracketed(word(piece[0], n)) : word(piece, n);
    return k.map(which => which < 0 ? null : (n => t[which].map(piece => part(piece, n)).join(""))(met[which]++));
  };
  const said = (column, n) => {
    const {d, g, k, z} = column;
    if (d) return d.length ? `${column.x}[${index(n, d).join(", ")}]` : column.x;
    if (!g) return word(column, n) ?? "";
    const names = g.flatMap(([own, way]) => reached(way, n).map(m => said(own, m))), many = names.length, over = many > k;
    const last = over ? ` and ${many - k} more` : many > 1 ? " and " + names.pop() : "";
    return many ? column.f[+over].replace("#", many) + names.slice(0, k).join(", ") + last : z;
  };
  const lit = (groups, n) => groups.flatMap(([letter, way]) => reached(way, n).map(m => letter + m)).join(" ");
  return family.n.map(n => [family.m + n, {family,
    get lights() { return {by: Object.fromEntries(Object.keys(family.l).map(side => [side, lit(family.l[side], n)]))}; },
    get args() { return family.w.map(column => said(column, n)); }}]);
};
const cut = (line, most) => {  // texts that stand in one line, as in measure.py
  const size = words => [...words].length;
  for (const least of [12, 1]) for (const text of [...line].sort((a, b) => size(b[2]) - size(a[2]))) {
    const room = Math.max(least, most + size(text[2]) - line.reduce((all, other) => all + size(other[2]), 0));
    if (room >= size(text[2])) continue;
    const [between, parts] = [[" + "], [", ", /, (?![^[]*\])/], [" * "]].map(([b, at = b]) => [b, text[2].split(at)]).sort((a, b) => b[1].length - a[1].length)[0];
    const long = () => size(text[2] = parts.join(between)) > room;
    while (long() && parts.length > 3) parts.splice(-3, 2, "...");
    if (long() && parts.length === 3) parts[1] = "...";
    const sign = room > 4 ? /(\s[=≈]\s)?$/.exec(text[2])[0] : "";
    if (long()) text[2] = [...text[2]].slice(0, Math.max(room - 1 - sign.length, 0)).join("") + "…" + sign;
  }
};
