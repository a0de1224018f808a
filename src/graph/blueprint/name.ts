/** What a name in a graph may be: of the graph, its nodes, its channels and its fields. */
export const NAME: RegExp = /^[A-Za-z_][A-Za-z0-9_]*$/
