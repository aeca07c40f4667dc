import { type LngLat, type Map as MapLibreMap, Marker } from 'maplibre-gl'
import type { LonLat } from './polyline.ts'
import type { CarOnTrack } from './track.ts'

/** Puts a letter at an end of the route. */
export function addEnd(map: MapLibreMap, place: LonLat, letter: string, name: string): Marker {
  const element = document.createElement('div')
  element.className = 'route-end'
  element.textContent = letter
  element.title = name
  label(element, name)
  return new Marker({ element }).setLngLat([...place]).addTo(map)
}

/** An arrow towards the north, which the marker turns. */
const CAR = `<svg viewBox="0 0 30 30" width="30" height="30" aria-hidden="true">
  <circle cx="15" cy="15" r="13" fill="#0b7285" stroke="#fff" stroke-width="2.5"/>
  <path d="M15 6 L21 21 L15 17.5 L9 21 Z" fill="#fff"/></svg>`

interface CarMarker {
  readonly move: (car: CarOnTrack | undefined) => void
  readonly remove: () => void
}

export function addCar(map: MapLibreMap, name: string): CarMarker {
  const element = document.createElement('div')
  element.className = 'route-car'
  element.innerHTML = CAR
  label(element, name)
  const marker = new Marker({ element, rotationAlignment: 'map' })
  let isShown = false
  let headingDeg = 0
  return {
    move: car => {
      if (!car) return
      headingDeg = car.headingDeg ?? headingDeg
      if (isShown) follow(map, marker.getLngLat(), car)
      marker.setLngLat([car.longitude, car.latitude]).setRotation(headingDeg)
      if (!isShown) marker.addTo(map)
      isShown = true
    },
    remove: () => marker.remove(),
  }
}

function label(element: HTMLElement, name: string): void {
  element.setAttribute('role', 'img')
  element.setAttribute('aria-label', name)
}

/** Follows the car when it drives out of view, unless the user has moved the map elsewhere. */
function follow(map: MapLibreMap, before: LngLat, { longitude, latitude }: CarOnTrack): void {
  const view = map.getBounds()
  if (view.contains(before) && !view.contains([longitude, latitude])) map.easeTo({ center: [longitude, latitude] })
}
