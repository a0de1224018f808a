/** Objects of the platform and of the library: patterns with look-behind, URLs, bytes, reflection. */
export const library: readonly string[] = [
  // Regular expressions
  'return ["$42 and €7".match(/(?<=\\$)\\d+/)?.[0], "price 12 €7".match(/(?<!€)\\b\\d+/g), "camelCaseText".split(/(?<=[a-z])(?=[A-Z])/)]',
  'return ["1234567.891".replace(/(?<!\\.\\d*)\\B(?=(\\d{3})+(?!\\d))/g, ","), "a1b22".replace(/(?<=[a-z])\\d+/g, "#")]',
  'const m = /(?<y>\\d{4})-(?<m>\\d\\d)(x)?/d.exec("on 2024-05"); return [m.indices, m.indices.groups, Object.keys(m), m.indices[3]]',
  'return [/a/d.hasIndices, /a/v.unicodeSets, /a/dgv.flags, /a/.hasIndices, "ab".match(/b/d).indices[0], [..."abab".matchAll(/b/dg)].map((m) => m.indices)]',
  'return ["aBc1".match(/[\\p{L}--[a-z]]/v)?.[0], "x9_".match(/[\\w&&\\d]/v)?.[0], "é".match(/^\\p{Ll}$/v) !== null]',
  'return ["uv", "vu", "dd", "x"].map((f) => { try { return new RegExp("a", f).flags } catch (e) { return e.name } })',
  'return ["(?<=a)*", "(?<=", "[a", "[a--b", "(?<n>a)(?<n>b)"].map((p) => { try { return new RegExp(p, "v").source } catch (e) { return e.name } })',
  // URLs
  'const u = new URL("https://user:p%40ss@Example.com:8443/a/../b%20c/?q=x y&z=ü#frag"); return [u.href, u.origin, u.protocol, u.username, u.password, u.host, u.hostname, u.port, u.pathname, u.search, u.hash, String(u), `${u}`, u + "", JSON.stringify({ u }), u.toJSON(), u instanceof URL, typeof u, Object.keys(u), "href" in u]',
  'return ["../x", "//h/y", "?q", "#f", "http://b/", "", "a/b?c#d"].map((r) => new URL(r, "https://a.example/d/e?f").href)',
  'return ["", "no", "http://", "https://a b", "mailto:a@b.c", "data:,x", "HTTP://EX.com:80/%7Efoo", "https://münchen.de/ß", "http://1.2.3", "http://[::1]:3000/", "file:///a/b", "javascript:alert(1)"].map((t) => [URL.canParse(t), URL.parse(t)?.href ?? null])',
  'return ["x", undefined].map((t) => { try { return new URL(t).href } catch (e) { return [e.name, e.message, e instanceof TypeError] } })',
  'const u = new URL("https://a.example/x?y=1"); u.searchParams.append("z", "ä b&c"); u.hash = "top"; u.pathname = "/p q"; u.port = "8080"; u.protocol = "http"; u.host = "b.example:81"; u.username = "me"; return [u.href, [...u.searchParams], u.searchParams === u.searchParams]',
  'const u = new URL("https://a/?a=1&b=2"); const p = u.searchParams; u.search = "?c=3"; const one = String(p); p.delete("c"); return [one, u.href, p.size, u.search]',
  'const u = new URL("https://a/"); u.port = 80.5; u.hash = ""; u.search = null; const h = u.href; u.href = "http://c/?d"; try { u.href = "bad" } catch (e) { return [h, u.href, e.name, u.searchParams.get("d")] }',
  'const p = new URLSearchParams("?a=1&b=2&a=3&c"); return [p.get("a"), p.getAll("a"), p.get("x"), p.has("c"), p.has("a", "3"), p.has("a", "9"), p.size, String(p), [...p], [...p.keys()], [...p.values()], [...p.entries()], Object.fromEntries(p), JSON.stringify(p), Array.from(p, ([k]) => k)]',
  'const p = new URLSearchParams({ q: "a b", n: 5, t: true, u: undefined }); p.set("q", "é&="); p.append("q", "2"); p.sort(); const s = p.toString(); p.delete("q", "2"); return [s, String(p), p instanceof URLSearchParams]',
  'return [[["a", 1], ["b", [2, 3]]], new Map([["x", "y"]]), new URLSearchParams("k=v"), "a=%zz&b=+c%20d&=e&f=", "", undefined, null, 7, { a: { b: 1 } }].map((i) => String(new URLSearchParams(i)))',
  'return [[1], [["a"]], ["ab"], [["a", "b", "c"]]].map((i) => { try { return String(new URLSearchParams(i)) } catch (e) { return [e.name, e.message] } })',
  'const p = new URLSearchParams("a=1&b=2&c=3"); const seen = []; for (const [k, v] of p) { seen.push(k + v); if (k === "a") { p.delete("b"); p.append("d", "4") } } p.forEach((v, k, all) => seen.push(v, k, all === p)); for (const k of p.keys()) p.delete(k); return [seen, String(p)]',
  'const build = (base, params) => { const u = new URL(base); Object.entries(params).forEach(([k, v]) => u.searchParams.set(k, v)); return u.toString() }; return build("https://api.example.com/v1/items", { page: 2, "filter[name]": "a/b", tags: ["x", "y"] })',
  'return [() => URL("http://a"), () => new URL(), () => new URLSearchParams().append("a"), () => new URLSearchParams("a").get(), () => { new URL("http://a").origin = "x" }, () => structuredClone(new URL("http://a")), () => [...new URL("http://a")]].map((f) => { try { return f() } catch (e) { return e.name } })',
  'return ["\ud800", "a\udc00"].map((t) => [String(new URLSearchParams([[t, t]])), new URL("http://a/" + t).href])',
]
