import { withTexts } from "#/i18n/lazy-with-texts";
import { whenIdle } from "#/shared/idle";
import { lazyPart } from "#/shared/lazy-part";

export const loadPhone = withTexts(["phone", "operator"], () => import("./phone-code"));

export const PhonePeople = lazyPart(async () => {
  // With signal, the sign-in page itself comes first.
  if (navigator.onLine) await new Promise<void>((resolve) => whenIdle(resolve));
  return (await loadPhone()).PhonePeople;
});
export const PinHint = lazyPart(async () => (await loadPhone()).PinHint);
