import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { get } from '../api/client.ts'

/** Facts about the server of this page, as returned by `GET /api/studio`. */
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

/** Whether the server accepts no changes, because it was started with `--read-only`. */
export function useReadOnly(): boolean {
  return useStudioInfo()?.readOnly ?? false
}

/** Returns the file that the agents come from, if any. */
export function useAgentFile(): string | undefined {
  return useStudioInfo()?.file
}

/** Explains beside a disabled button why it is disabled. */
export function ReadOnlyNote(): ReactNode {
  return useReadOnly() ? (
    <p className="muted" role="note">
      This server is read-only: it was started with <code>--read-only</code>, and refuses what would change something.
    </p>
  ) : null
}
