import { spawnSync } from 'node:child_process'

/** A command of a `console` block, and the lines that the page shows of its output. */
export interface Step {
  readonly command: string
  readonly shown: readonly string[]
  /** The line of the command in the page. */
  readonly line: number
}

/** The commands of all `console` blocks of a page, in order. */
export function stepsIn(text: string): Step[] {
  const steps: { command: string; shown: string[]; line: number }[] = []
  let isInside = false
  for (const [index, line] of text.split('\n').entries()) {
    if (line.startsWith('```')) isInside = line === '```console'
    else if (isInside && line.startsWith('$ ')) steps.push({ command: line.slice(2), shown: [], line: index + 1 })
    else if (isInside) steps.at(-1)?.shown.push(line)
  }
  return steps
}

/** The files that a page tells its reader to save: fences with `title="name"`. */
export function filesIn(text: string): { readonly name: string; readonly code: string }[] {
  return [...text.matchAll(/^```ts title="([^"]+)"\n([\s\S]*?)^```$/gm)].map(([, name, code]) => ({
    name: name!,
    code: code!,
  }))
}

/** Runs the steps one after another in a folder. Ids of runs differ from those of the page: each is learned where the page shows it first,
 *  and put into the commands that follow. Gives what the page shows and the output does not have. */
export function playSteps(steps: readonly Step[], folder: string, env: NodeJS.ProcessEnv): string[] {
  const ids = new Map<string, string>()
  return steps.flatMap(({ command, shown, line }) => {
    const real = command.replace(/run_\w+/g, (id) => ids.get(id) ?? id)
    const ran = spawnSync('bash', ['-c', real], { cwd: folder, env, encoding: 'utf8' })
    const output = `${ran.stdout}\n${ran.stderr}`.split('\n')
    return shown.flatMap((text) => {
      const found = output.map((one) => patternOf(text, ids).exec(one)).find((match) => match !== null)
      if (found === undefined) return [`line ${line}: "${real}" does not show "${text}" but:\n${output.join('\n')}`]
      for (const [name, id] of Object.entries(found.groups ?? {})) ids.set(name, id)
      return []
    })
  })
}

/** `…` stands for anything, and an id that was not seen before for any id. */
function patternOf(text: string, ids: ReadonlyMap<string, string>): RegExp {
  const source = text.replace(/run_\w+|…|[^\w\s]/g, (part) => {
    if (part === '…') return '.*'
    if (!part.startsWith('run_')) return `\\${part}`
    return ids.get(part) ?? `(?<${part}>run_\\w+)`
  })
  return new RegExp(`^\\s*${source}\\s*$`)
}
