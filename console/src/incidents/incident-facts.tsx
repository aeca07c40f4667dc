import { Stack, Text } from '@mantine/core'
import { Fact } from '../figures/figures.tsx'
import { useNow } from '../fleet/use-now.ts'
import { formatDate, formatDuration, formatTime } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { useMay } from '../session/use-session.ts'
import { PageLink } from '../shell/page-link.tsx'
import { longAddress } from '../trips/short-address.ts'
import { type IncidentLine, peakText } from './incident-line.ts'
import { lengthMsOf, stateOf } from './incident-list.ts'

/** What is known of an incident. */
export function IncidentFacts({ line: { incident, areaName, ruleName } }: { readonly line: IncidentLine }) {
  const texts = useTexts('incidents')
  const language = useLanguage()
  const nowMs = useNow()
  const mayReadTrips = useMay('trips')
  const mayReadPositions = useMay('positions')
  const { startTimestamp, endTimestamp, tripId, peak, startAddress, endAddress } = incident
  // With seconds: 17:05 to 17:09 is no 5 minutes.
  const dateTime = (timestamp: string) =>
    `${formatDate(Date.parse(timestamp), language)}, ${formatTime(Date.parse(timestamp), language)}`
  const place = (address: typeof startAddress) => (mayReadPositions && address ? longAddress(address) : '')
  const isOpen = stateOf(incident) === 'open'
  // What happens at an instant, such as a hard braking, has no end of its own.
  const isMoment = endTimestamp === startTimestamp
  return (
    <Stack gap="xs">
      <Stack component="dl" m={0} gap="xs">
        <Fact name={isMoment ? texts.when : texts.begin} hint={place(startAddress)}>
          {dateTime(startTimestamp)}
        </Fact>
        {!isMoment && (endTimestamp !== null || isOpen) && (
          <Fact name={texts.end} hint={place(endAddress)}>
            {endTimestamp === null ? texts.goesOn : dateTime(endTimestamp)}
          </Fact>
        )}
        {!isMoment && (endTimestamp !== null || isOpen) && (
          <Fact name={texts.duration}>{formatDuration(lengthMsOf(incident, nowMs) / 1000)}</Fact>
        )}
        {peak && (
          <Fact
            name={texts.peak}
            hint={peak.timestamp === null ? '' : texts.peakAt(formatTime(Date.parse(peak.timestamp), language))}
          >
            {peakText(incident, language)}
          </Fact>
        )}
        {areaName !== '' && <Fact name={texts.area}>{areaName}</Fact>}
        {ruleName !== '' && <Fact name={texts.rule}>{ruleName}</Fact>}
      </Stack>
      {mayReadTrips && tripId !== null && (
        <PageLink to="/trips/$tripId" params={{ tripId }} search={{ at: Date.parse(startTimestamp) }} fz="sm">
          {texts.toTrip}
        </PageLink>
      )}
      {tripId === null && (
        <Text fz="sm" c="dimmed">
          {texts.noTrip}
        </Text>
      )}
    </Stack>
  )
}
