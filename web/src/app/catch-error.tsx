import { Component, type ReactNode } from "react";

/** Shows `fallback` after a rendering error of its content. */
export class CatchError extends Component<
  { fallback: ReactNode; onError: () => void; children: ReactNode },
  { hasFailed: boolean }
> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidCatch() {
    this.props.onError();
  }

  override render() {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}
