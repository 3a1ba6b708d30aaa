/** Leaves the product for a page of somebody else's. */
export function leavePage(address: string): void {
  window.location.assign(address);
}
