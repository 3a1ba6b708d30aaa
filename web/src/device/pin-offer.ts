/** In session storage after a sign-in by a card, until the PIN dialog is closed. */
export const pinOfferKey = "offer-pin";
