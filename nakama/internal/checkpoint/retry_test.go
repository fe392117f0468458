package checkpoint

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestRetryReturnsTheCauseAndNotItsOwnTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("scripted")
		attempts := 0
		err := retry(t.Context(), func(ctx context.Context) (bool, error) {
			attempts++
			if attempts < 3 {
				time.Sleep(openTimeout / 3)
				return false, cause
			}
			<-ctx.Done()
			return false, ctx.Err()
		})
		if !errors.Is(err, cause) || attempts != 3 {
			t.Errorf("got %v after %d attempts", err, attempts)
		}
	})
}
