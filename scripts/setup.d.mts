/** Returns why node_modules cannot be used, or undefined if it matches the lock file. */
export function findMismatch(folder: string): string | undefined
/** Returns the problem with the Node that npm scripts will use, or undefined if it runs. */
export function findNodeFault(folder: string, currentVersion?: string): string | undefined
