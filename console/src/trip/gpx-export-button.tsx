import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Trip } from '../api/types.ts'
import { csvTime } from '../export/csv.ts'
import { fileNameOf } from '../export/file-name.ts'
import { GPX_TYPE, gpxOf } from '../export/gpx.ts'
import { noteExport } from '../export/note-export.ts'
import { saveFile } from '../export/save-file.ts'
import { formatDateTime } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { recordingOf } from './recording.ts'
import { tripEventsQuery } from './trip-queries.ts'

interface GpxExportButtonProps {
  readonly trip: Trip
  readonly carName: string
  readonly isRunning: boolean
}

/** Exports the measured positions of the trip. Needs permission for events and positions. */
export function GpxExportButton({ trip, carName, isRunning }: GpxExportButtonProps) {
  const texts = useTexts('trip')
  const language = useLanguage()
  const { data: events } = useQuery(tripEventsQuery(trip, isRunning))
  const hasPlaces = events?.some(event => event.event_type === 'POSITION') ?? false
  const save = () => {
    const startMs = Date.parse(trip.tripStartTimestamp)
    const start = formatDateTime(startMs, language)
    const gpx = gpxOf({ name: `${carName}, ${start}`, points: recordingOf(events ?? []).track })
    saveFile(fileNameOf([carName, csvTime(startMs)], 'gpx'), GPX_TYPE, [gpx])
    noteExport('route')
  }
  return (
    <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} disabled={!hasPlaces} onClick={save}>
      {texts.exportGpx}
    </Button>
  )
}
