import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Trip } from '../api/types.ts'
import { useMay } from '../session/use-session.ts'
import { recordingOf } from './recording.ts'
import { tripEventsQuery } from './trip-queries.ts'

/** What was measured on a trip, and what the request for it came to; never there without the permission. */
export function useRecording(trip: Trip, isRunning: boolean) {
  const { data: events, error, refetch } = useQuery({ ...tripEventsQuery(trip, isRunning), enabled: useMay('events') })
  const recording = useMemo(() => events && recordingOf(events), [events])
  return { recording, error, refetch }
}
