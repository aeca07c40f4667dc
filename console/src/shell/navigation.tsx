import { NavLink } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useRouterState } from '@tanstack/react-router'
import { useTexts } from '../language/language.ts'
import { sessionQuery } from '../session/use-session.ts'
import { PAGES, pageAt } from './pages.ts'
import { UnseenIncidents } from './unseen-incidents.tsx'

/** The menu, with the pages that the person may see. */
export function Navigation({ onNavigate }: { readonly onNavigate: () => void }) {
  const texts = useTexts('shell')
  const { data: session } = useQuery(sessionQuery)
  const here = useRouterState({ select: state => pageAt(state.location.pathname)?.address })
  return (
    <>
      {PAGES.filter(({ needs }) => session?.permissions.includes(needs)).map(({ address, name, icon: Symbol }) => {
        const isHere = address === here
        return (
          <NavLink
            key={address}
            component={Link}
            to={address}
            label={texts[name]}
            rightSection={address === '/incidents' ? <UnseenIncidents /> : undefined}
            leftSection={<Symbol size={20} stroke={1.6} aria-hidden />}
            active={isHere}
            aria-current={isHere ? 'page' : undefined}
            onClick={onNavigate}
          />
        )
      })}
    </>
  )
}
