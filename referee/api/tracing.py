"""Traces by OpenTelemetry, for those who install the extra `tracing`.

The SDK's own variables hold: OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER, OTEL_EXPORTER_OTLP_HEADERS and others.
"""

import os
from contextlib import AbstractContextManager
from typing import Final, Self

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from referee.table import observer
from referee.table.observer import Metadata

_PARENTS: Final = TraceContextTextMapPropagator()


def to_collector(url: str) -> SpanProcessor:
    """Returns what sends spans to a collector by OTLP over gRPC, in the background."""
    return BatchSpanProcessor(OTLPSpanExporter(url))


class Tracing:
    """Tells of calls, and of the writes in them."""

    def __init__(self, processor: SpanProcessor) -> None:
        os.environ.setdefault("OTEL_SERVICE_NAME", "artreferee")
        self._provider: Final = TracerProvider()
        self._provider.add_span_processor(processor)
        self._tracer: Final = self._provider.get_tracer("artreferee")

    def span(self, name: str, metadata: Metadata | None = None) -> observer.Span:
        """See `Observer`; a call that comes with a traceparent goes on with that trace."""
        carrier = {key: value for key, value in metadata or () if isinstance(value, str)}
        return _Span(
            self._tracer.start_as_current_span(
                name,
                context=_PARENTS.extract(carrier) if carrier else None,
                kind=trace.SpanKind.INTERNAL if metadata is None else trace.SpanKind.SERVER,
                record_exception=False,  # its text is not meant for others
                set_status_on_exception=False,
            )
        )

    def close(self) -> None:
        """Sends what is left."""
        self._provider.shutdown()


class _Span(observer.Span):
    def __init__(self, opened: AbstractContextManager[trace.Span]) -> None:
        self._opened: Final = opened

    def __enter__(self) -> Self:
        self._span = self._opened.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.__exit__(None, None, None)

    def note(self, **attributes: str) -> None:
        for name, value in attributes.items():
            self._span.set_attribute(f"artreferee.{name}", value)
