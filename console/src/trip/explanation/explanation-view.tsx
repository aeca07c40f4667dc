import { Alert, SimpleGrid, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ErrorState } from '../../states/error-state.tsx'
import { LoadingState } from '../../states/loading-state.tsx'
import { explanationQuery } from '../trip-queries.ts'
import { CourseTimeline } from './course-timeline.tsx'
import { DistanceAccount } from './distance-account.tsx'
import { RulesTable } from './rules-table.tsx'

interface ExplanationViewProps {
  readonly tripId: string
  readonly isRunning: boolean
}

/** Why the trip begins and ends where it does, and how far it was. */
export function ExplanationView({ tripId, isRunning }: ExplanationViewProps) {
  const { data: explanation, error, refetch } = useQuery(explanationQuery(tripId, isRunning))
  if (!explanation) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <LoadingState />
  return (
    <Stack gap="lg">
      {explanation.remarks.map(remark => (
        <Alert key={remark} color="yellow">
          {remark}
        </Alert>
      ))}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <div>
          <CourseTimeline explanation={explanation} />
        </div>
        <div>
          <DistanceAccount explanation={explanation} />
        </div>
      </SimpleGrid>
      <RulesTable rules={explanation.rules} />
    </Stack>
  )
}
