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
]
