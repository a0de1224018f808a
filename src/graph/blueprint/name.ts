/** A valid name of a graph, a node, a channel or a field. */
export const NAME: RegExp = /^[A-Za-z_][A-Za-z0-9_]*$/
