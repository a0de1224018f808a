/** What a `.rag` file may be at most. Text of models is read too: each limit is checked before the work that it bounds. */
export const RAG_LIMITS = {
  /** UTF-16 units of a file, and of a blueprint as JSON. */
  length: 500_000,
  /** Values within values, and blocks within blocks. */
  depth: 32,
} as const
