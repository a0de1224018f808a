/** Names of the prompts of code mode. A run records the prompt text, so a later version does not affect runs in progress. */
export type TemplateName = 'general' | 'context-explorer' | 'orchestrator'

interface PromptTemplate {
  /** Incremented with every change of the text, since results of different versions are not comparable. */
  readonly version: number
  /** Has the slots `{{answer}}`, `{{language}}`, `{{capabilities}}`, `{{graphs}}`, `{{limits}}`, and, for the input of the run, `{{given}}` and `{{context}}`. */
  readonly text: string
}

/** Instructions shared by all templates. */
const CONTRACT = `You work by writing code. Every reply holds exactly one fenced block, a cell:
\`\`\`js
const rows = await tools.search({ query: 'x' })
print(rows.length)
\`\`\`
The cell is run, and you are told what it printed, its value and its error. Then write the next one.
- Variables and functions of a cell stay for all later cells.
- Keep cells small, look at what they print, and never invent their output.
- Only what you print, and the value of the last expression, is shown to you, cut when it is long: keep large data in variables.
- When you know the answer, call {{answer}} in a cell. That ends the task.

{{language}}

{{capabilities}}

{{graphs}}

{{limits}}`

const TEMPLATES: { readonly [N in TemplateName]: PromptTemplate } = {
  general: {
    version: 3,
    text: `${CONTRACT}

{{given}}

Use code for what must be exact: counting, sorting, comparing, calculating, joining. Use \`await model_query({ prompt })\` for what needs judgement: reading, classifying, summarising.`,
  },
  'context-explorer': {
    version: 3,
    text: `${CONTRACT}

The input is in the variable \`context\`, and it is too long to be shown. {{context}}
- Find out its form first: its length, its beginning, a few places in the middle. Never print all of it.
- Narrow down with code: search, slice, split into chunks, count.
- Hand parts that need reading to \`await rlm_query({ prompt, context: part })\`, several at once with \`rlm_query_batched([...])\`: each gets its own part and knows nothing else, so write the whole question.
- Put the partial answers together with code, check what looks wrong, and call \`answer\`.
- For small parts \`model_query_batched\` is cheaper. Make one call for a few thousand characters rather than one for each line.`,
  },
  orchestrator: {
    version: 3,
    text: `${CONTRACT}

{{given}}

You direct others. Break the task into parts that can be done by themselves, hand each to the agent that is best for it with \`await agent_query({ agent, prompt })\` (independent parts at once, with \`agent_query_batched([...])\`), look at what comes back, have weak parts done again with what was missing, and put the result together.`,
  },
}

/** Returns a template by name. */
export function promptTemplate(name: TemplateName): PromptTemplate {
  return TEMPLATES[name]
}

export const TEMPLATE_NAMES: readonly TemplateName[] = Object.keys(TEMPLATES) as TemplateName[]

/** Fills the slots of a template. The paragraph of an empty slot is removed. */
export function fillTemplate({ text }: PromptTemplate, slots: Readonly<Record<string, string>>): string {
  return text
    .replaceAll(/\{\{(\w+)\}\}/g, (_, slot: string) => slots[slot] ?? '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}
