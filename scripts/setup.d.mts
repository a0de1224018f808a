/** Says why node_modules cannot be used, or returns undefined when it matches the lock file. */
export function findMismatch(folder: string): string | undefined
/** Says what is wrong with the Node that npm scripts will use, or returns undefined when it runs. */
export function findNodeFault(folder: string, currentVersion?: string): string | undefined
