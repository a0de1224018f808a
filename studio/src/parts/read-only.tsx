import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { get } from '../api/client.ts'

/** What the server that gave out this page is, as `GET /api/studio` says it. */
interface StudioInfo {
  readonly readOnly: boolean
  readonly store: string
  readonly version: string
  readonly entryVersion: number
  readonly node: string
  readonly platform: string
  /** The file that the agents come from. */
  readonly file?: string
}

export function useStudioInfo(): StudioInfo | undefined {
  const { data } = useQuery({
    queryKey: ['studio'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => get<StudioInfo>('/api/studio', {}, signal),
  })
  return data
}

/** Whether the server takes no changes: it was started with `--read-only`. */
export function useReadOnly(): boolean {
  return useStudioInfo()?.readOnly ?? false
}

/** The file that the agents come from, where they come from one. */
export function useAgentFile(): string | undefined {
  return useStudioInfo()?.file
}

/** Says beside a button why it cannot be pressed. */
export function ReadOnlyNote(): ReactNode {
  return useReadOnly() ? (
    <p className="muted" role="note">
      This server is read-only: it was started with <code>--read-only</code>, and refuses what would change something.
    </p>
  ) : null
}
