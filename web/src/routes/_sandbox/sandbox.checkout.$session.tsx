import { createFileRoute } from "@tanstack/react-router";
import { CheckoutPage } from "#/features/sandbox/checkout-page";
import { key } from "#/i18n/key";

export const Route = createFileRoute("/_sandbox/sandbox/checkout/$session")({
  staticData: { title: key("sandbox.checkout.title") },
  component: CheckoutRoute,
});

function CheckoutRoute() {
  const { session } = Route.useParams();
  return <CheckoutPage key={session} session={session} />;
}
