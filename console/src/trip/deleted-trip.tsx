import { Button, Group } from '@mantine/core'
import { IconRouteOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTexts } from '../language/language.ts'
import { EmptyState } from '../states/empty-state.tsx'
import { ErrorState } from '../states/error-state.tsx'
import { LoadingState } from '../states/loading-state.tsx'
import { explanationQuery } from './trip-queries.ts'

/** Says where the time of a trip went that is none any more. */
export function DeletedTrip({ tripId }: { readonly tripId: string }) {
  const texts = useTexts('trip')
  const { data: explanation, error, refetch } = useQuery(explanationQuery(tripId, false))
  if (error && !explanation) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!explanation) return <LoadingState />
  const { coveredBy } = explanation
  return (
    <EmptyState
      icon={IconRouteOff}
      title={texts.deletedTitle}
      hint={coveredBy.length > 0 ? texts.merged : texts.vanished}
    >
      <Group>
        {coveredBy.map(id => (
          <Button
            key={id}
            variant="light"
            renderRoot={root => <Link {...root} to="/trips/$tripId" params={{ tripId: id }} />}
          >
            {texts.toTrip(id)}
          </Button>
        ))}
        {coveredBy.length === 0 && (
          <Button variant="light" component={Link} to="/trips">
            {texts.allTrips}
          </Button>
        )}
      </Group>
    </EmptyState>
  )
}
