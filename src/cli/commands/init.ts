import { readdirSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { MandateError } from '../../core/index.ts'
import { EXIT } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import { note, print } from '../output.ts'
import { PACKAGE } from '../package-facts.ts'
import { checkTemplate, firstScript, listTemplates, writeTemplate } from '../templates.ts'
import { block } from '../terminal/layout.ts'
import { askChoice, askLine } from '../terminal/prompts.ts'
import type { Command } from './command.ts'

const DEFAULT_TEMPLATE = 'agent'

export const initCommand: Command = {
  async run(flags, words) {
    const { folder, template } = await chosen(flags, words[0])
    const files = writeTemplate(template, folder, PACKAGE.version)
    const shown = relative(process.cwd(), folder)
    const steps = [
      ...(shown === '' ? [] : [`cd ${/^[\w@./-]+$/u.test(shown) ? shown : JSON.stringify(shown)}`]),
      'npm install',
      firstScript(template),
    ]
    print(flags, { template, folder, files, next: steps }, () => '')
    note(`Made ${template} in ${shown === '' ? 'this folder' : shown}:`)
    note(block(files.join(', '), '  ').join('\n'))
    note(`\nNext:\n${steps.map((step) => `  ${step}`).join('\n')}`)
    note('\nIt runs offline with scripted replies. README.md shows how to use a real model.')
    return EXIT.ok
  },
}

/** A project is added to what is there already only if that was said. */
function checkEmpty(): void {
  if (readdirSync('.').length === 0) return
  throw new MandateError(
    'INPUT_INVALID',
    'No folder was named, and this one is not empty. Name a folder for the project, such as `my-agent`, or `.` for this one.',
  )
}

/** Returns the folder and the template: from the arguments, asked on a terminal, or the defaults. */
async function chosen(flags: Flags, word: string | undefined): Promise<{ folder: string; template: string }> {
  const isAsking = !flags.noInput && !flags.json && process.stdin.isTTY
  const given = flags.template === undefined ? undefined : checkTemplate(flags.template)
  if (word === undefined && !isAsking) checkEmpty()
  const folder = word ?? (isAsking ? await askLine('Folder of the project:', '.') : '.')
  const choices = listTemplates().map(({ name, about }) => [name, about] as const)
  const usual = choices.toSorted(([a], [b]) => Number(b === DEFAULT_TEMPLATE) - Number(a === DEFAULT_TEMPLATE))
  const template = given ?? (isAsking ? await askChoice('Template:', usual) : DEFAULT_TEMPLATE)
  return { folder: resolve(folder), template }
}
