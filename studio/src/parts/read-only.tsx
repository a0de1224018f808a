import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { get } from '../api/client.ts'

interface StudioInfo {
  readonly readOnly: boolean
}

/** Whether the server takes no changes: it was started with `--read-only`. */
export function useReadOnly(): boolean {
  const { data } = useQuery({
    queryKey: ['studio'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => get<StudioInfo>('/api/studio', {}, signal),
  })
  return data?.readOnly ?? false
}

/** Says beside a button why it cannot be pressed. */
export function ReadOnlyNote(): ReactNode {
  return useReadOnly() ? (
    <p className="muted" role="note">
      This server is read-only: it was started with <code>--read-only</code>, and refuses what would change something.
    </p>
  ) : null
}
