/** Example graph: a model call, a question to a person, a tool call. */
const EXAMPLE_GRAPH = `graph letter {
  start write
  input { topic string }
  node write { model "small" prompt "Write about {{ state.topic }}." writes text next ask }
  node ask { kind interrupt prompt "Send it?" options ["yes", "no"] routes { yes -> send no -> END } }
  node send { kind tool tool "send_letter" next END }
}`

/** Instructions for models on how to write graphs. */
export const GRAPH_GUIDE: string = `Steps that shall run in a fixed order, with people asked between them, can be a graph. It is a text:
\`\`\`rag
${EXAMPLE_GRAPH}
\`\`\`
- \`const draft = await graph_define({ name, source })\` reads it, \`await graph_validate(draft)\` lists what is wrong with it, and \`await graph_compile(draft)\` fails where something is.
- \`await graph_register({ graph: draft, reason })\` makes it known, after a person's review where one is required. \`await graph_run({ graph: name, input })\` runs it and gives what it came to.`
