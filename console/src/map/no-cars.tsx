import { Anchor, Button } from '@mantine/core'
import { IconCar } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTexts } from '../language/language.ts'
import { useMay } from '../session/use-session.ts'
import { EmptyState } from '../states/empty-state.tsx'

/** What there is to do while no dongle has ever reported. */
export function NoCars() {
  const texts = useTexts('map')
  const mayReadDevices = useMay('devices')
  return (
    <EmptyState icon={IconCar} title={texts.noCars} hint={texts.noCarsHint}>
      {mayReadDevices && <Button renderRoot={props => <Link {...props} to="/devices/add" />}>{texts.addDongle}</Button>}
      <Anchor href="/docs" target="_blank">
        {texts.apiDocumentation}
      </Anchor>
    </EmptyState>
  )
}
