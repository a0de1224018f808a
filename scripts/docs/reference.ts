import { readSubpaths } from '../../test/tidy/api.ts'
import type { SourceFile } from '../../test/tidy/sources.ts'
import { type Node, walk } from '../../test/tidy/walk.ts'
import { type Declared, declarationIn, docOf, exportedNames, findName } from './declared.ts'
import type { Page } from './pages.ts'

/** Maximum depth to which unexported types of fields are followed. */
const DEPTH = 2

/** Renders one page per subpath of the package, with the description, signature or fields, and examples of every public name. */
export function subpathPages(): Page[] {
  const all = new Set([...readSubpaths().values()].flatMap((path) => exportedNames(path).map(({ name }) => name)))
  return [...readSubpaths()].map(([subpath, path]) => {
    const label = subpath.replace('.', 'mandate')
    const names = exportedNames(path).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    const [types, values] = [names.filter(isType), names.filter((one) => !isType(one))]
    const inner = innerTypes(
      names.map(({ declared }) => declared),
      all,
    )
    const body = [
      `\`import { … } from '${label}'\`: ${names.length} names. Generated from the declarations and their comments.`,
      ...group('Functions, classes and values', values),
      ...group('Types', types),
      ...(inner.length === 0
        ? []
        : ['## Types that these use', 'They are not exported; this is what their fields mean.']),
      ...inner.flatMap((declared) => describe(declared.name, declared)),
    ].join('\n\n')
    const slug = `reference/${label.replace('/', '-')}`
    return { path: `docs/${slug}.md`, slug, title: label, description: `Every public name of ${label}.`, body }
  })
}

function group(title: string, names: readonly { name: string; declared: Declared }[]): string[] {
  return names.length === 0 ? [] : [`## ${title}`, ...names.flatMap(({ name, declared }) => describe(name, declared))]
}

function isType({ declared }: { readonly declared: Declared }): boolean {
  return declared.nodes.every((node) => /^TS(Interface|TypeAlias)/.test(declarationIn(node)?.type ?? ''))
}

/** Renders the section of one name. */
export function describe(name: string, { file, nodes, aliases = [] }: Declared): string[] {
  const docs = [...new Set([...aliases, ...nodes])].map((node) => docOf(file, node.start))
  const bodies = nodes.flatMap((node) => {
    const declaration = declarationIn(node)
    return declaration === undefined ? [] : [signatureOf(declaration, file)]
  })
  return [
    `### ${name}`,
    ...docs.map(({ text }) => text).filter(Boolean),
    ...bodies.flat(),
    ...docs.flatMap(({ examples }) => examples.map((code) => `\`\`\`ts\n${code}\n\`\`\``)),
  ]
}

/** Renders the fields of an interface as a table, and any other declaration as code. */
function signatureOf(node: Node, file: SourceFile): string[] {
  if (node.type === 'TSInterfaceDeclaration') {
    const extended = node.extends.map((one) => `\`${oneLine(file.text.slice(one.start, one.end))}\``)
    return [
      ...(extended.length === 0 ? [] : [`Also has the fields of ${extended.join(', ')}.`]),
      ...members(node.body.body, file),
    ]
  }
  if (node.type === 'ClassDeclaration') {
    const visible = node.body.body.filter(
      (member) => !('accessibility' in member && member.accessibility === 'private') && !isPrivateName(member),
    )
    return members(visible, file)
  }
  if (node.type === 'TSTypeAliasDeclaration' && node.typeAnnotation.type === 'TSTypeLiteral')
    return members(node.typeAnnotation.members, file)
  return [`\`\`\`ts\n${tidy(file.text.slice(node.start, node.end))}\n\`\`\``]
}

function isPrivateName(member: Node): boolean {
  return 'key' in member && (member.key as Node | null)?.type === 'PrivateIdentifier'
}

function members(nodes: readonly Node[], file: SourceFile): string[] {
  if (nodes.length === 0) return []
  const rows = nodes.map((member) => {
    const text = oneLine(file.text.slice(member.start, member.end))
      .replace(/^readonly /, '')
      .replace(/;$/, '')
    const doc = docOf(file, member.start).text.replaceAll('\n', ' ')
    return `| ${inTable(text)} | ${doc.replaceAll('|', '\\|')} |`
  })
  return [['| member | meaning |', '|---|---|', ...rows].join('\n')]
}

function inTable(text: string): string {
  return `\`${text.replaceAll('|', '\\|').replace(/ \\\| undefined$/, '')}\``
}

function oneLine(text: string): string {
  return tidy(text).replace(/\s+/g, ' ')
}

/** Removes comments and the keywords that every declaration file has. */
function tidy(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^(?:export )?declare /, '')
    .replace(/\n\s*\n/g, '\n')
    .trim()
}

/** Returns the unexported types of fields of public names, so that every type that users need is described. */
export function innerTypes(
  declared: readonly Declared[],
  known: ReadonlySet<string>,
  levels: number = DEPTH,
): Declared[] {
  const found = new Map<string, Declared>()
  let level = declared
  for (let depth = 0; depth < levels; depth += 1) {
    const next = level.flatMap((one) => typeNames(one).map((name) => findName(one.file.path, name)))
    level = next.filter((one): one is Declared => one !== undefined && !known.has(one.name) && !found.has(one.name))
    for (const one of level) if (isType({ declared: one })) found.set(one.name, one)
  }
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function typeNames({ nodes }: Declared): string[] {
  const names = new Set<string>()
  for (const node of nodes)
    walk(node, (one) => {
      if (one.type === 'TSTypeReference' && one.typeName.type === 'Identifier') names.add(one.typeName.name)
      if (one.type === 'TSInterfaceHeritage' && one.expression.type === 'Identifier') names.add(one.expression.name)
    })
  return [...names]
}
