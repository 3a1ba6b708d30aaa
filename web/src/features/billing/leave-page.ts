/** Navigates to an external page. */
export function leavePage(address: string): void {
  window.location.assign(address);
}
