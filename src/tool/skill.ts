import { MandateError } from '../core/index.ts'
import { defineTool } from './define-tool.ts'
import type { Tool } from './tool.ts'

/** Instructions that an agent can load: at first it gets only the name and the purpose of a skill, and loads the rest when it needs it. */
export interface Skill {
  /** The name by which the model loads it. */
  readonly name: string
  /** When to use it, for the model. */
  readonly description: string
  /** The instructions. Called only when the skill is used. */
  load(): string | Promise<string>
}

/** The tool with which an agent loads a skill. */
const SKILL_TOOL = 'use_skill'

/**
 * Parses a skill in the format of `SKILL.md` files: front matter with `name` and `description`, then the instructions in Markdown.
 *
 * @example
 * ```ts
 * import { parseSkill } from 'mandate'
 * const skill = parseSkill('---\nname: greet\ndescription: How we greet people.\n---\nSay hello, then the name.')
 * skill.load() // 'Say hello, then the name.'
 * ```
 */
export function parseSkill(text: string, fallback: { readonly name?: string | undefined } = {}): Skill {
  const [, header, body] = /^\uFEFF?---[ \t]*\r?\n([^]*?)\r?\n---[ \t]*(?:\r?\n([^]*))?$/.exec(text) ?? []
  if (header === undefined)
    throw invalid('begins with front matter: a line ---, `name:` and `description:`, a line ---')
  const fields = readFields(header)
  const name = fields.get('name') ?? fallback.name ?? ''
  const description = fields.get('description') ?? ''
  if (!/^[\w.-]{1,64}$/.test(name))
    throw invalid(`needs a \`name\` of letters, digits, "-", "_" and ".", not "${name}"`)
  if (description === '') throw invalid(`needs a \`description\`: "${name}" is chosen by it`)
  const instructions = (body ?? '').trim()
  return Object.freeze({ name, description, load: () => instructions })
}

/** `key: value`, one per line; indented lines continue the value before them. */
function readFields(header: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  let last = ''
  for (const line of header.split(/\r?\n/)) {
    const [, key, value] = /^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$/.exec(line) ?? []
    if (key !== undefined) {
      last = key
      fields.set(key, unquote(/^[>|][+-]?$/.test(value?.trim() ?? '') ? '' : (value ?? '')))
    } else if (/^\s+\S/.test(line) && last !== '') fields.set(last, `${fields.get(last)!} ${line.trim()}`.trim())
  }
  return fields
}

function unquote(value: string): string {
  const text = value.trim()
  const [, inner] = /^"(.*)"$/.exec(text) ?? /^'(.*)'$/.exec(text) ?? []
  return inner ?? text
}

/** One tool for all the skills of an agent. Its description has their names and purposes; it returns the instructions. */
export function skillTool(skills: readonly Skill[]): Tool {
  const byName = new Map<string, Skill>()
  for (const skill of skills) {
    if (byName.has(skill.name))
      throw new MandateError('DUPLICATE', `Two skills are named "${skill.name}". Rename one, or leave one out.`)
    byName.set(skill.name, skill)
  }
  const list = skills.map(({ name, description }) => `- ${name}: ${description}`).join('\n')
  return defineTool({
    name: SKILL_TOOL,
    description: `Gives the instructions of a skill. Read them before you do what it is good for:\n${list}`,
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string', enum: [...byName.keys()] } },
      required: ['name'],
      additionalProperties: false,
    },
    risk: 'read',
    idempotent: true,
    run: async ({ name }: { name: string }) => byName.get(name)!.load(),
  })
}

function invalid(what: string): MandateError {
  return new MandateError('CONFIG_INVALID', `A skill ${what}.`)
}
