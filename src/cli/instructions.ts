import { readFileSync } from 'node:fs'
import type { AgentConfig } from '../agent/index.ts'
import { MandateError, messageOf } from '../core/index.ts'
import type { Loaded } from './load-module.ts'

const FILE = 'AGENTS.md'

/** Adds the AGENTS.md of the current folder to the prompts of the agents. The journal stores the text, so a resumed run does not need the file. */
export function withInstructions(loaded: Loaded): Loaded {
  let text: string
  try {
    text = readFileSync(FILE, 'utf8').trim()
  } catch (cause) {
    throw new MandateError('INPUT_INVALID', `There is no ${FILE} here to read: ${messageOf(cause)}`, { cause })
  }
  return { ...loaded, agents: (loaded.agents ?? []).map((agent) => instructed(agent, text)) }
}

function instructed(agent: AgentConfig, text: string): AgentConfig {
  const { instructions: prompt = '', ...rest } = agent
  if (typeof prompt !== 'string') {
    const name = agent.id ?? agent.name ?? 'agent'
    throw new MandateError(
      'CONFIG_INVALID',
      `The prompt of "${name}" is the template "${prompt.template}", which ${FILE} cannot be added to. Run it without --agents-md.`,
    )
  }
  const added = `The instructions of this folder (${FILE}):\n\n${text}`
  return { ...rest, instructions: prompt === '' ? added : `${prompt}\n\n${added}` }
}
